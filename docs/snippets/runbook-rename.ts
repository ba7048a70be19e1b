import { Injectable } from '@nestjs/common';
import { Locked, lockName } from 'nest-redis-lock';

@Injectable()
export class Orders {
  // Release 1: both names. Release 2, when no process of before release 1 is left: @Locked('tenant:<0>:order:<1>')
  @Locked((tenant: string, id: string) => [lockName`order:${id}`, lockName`tenant:${tenant}:order:${id}`])
  async pay(tenant: string, id: string): Promise<string> {
    return `${tenant} has paid ${id}`;
  }
}
