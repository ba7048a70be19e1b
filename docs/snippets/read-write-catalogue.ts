import { Injectable } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';

@Injectable()
export class CatalogueService {
  @Locked('catalogue', { mode: 'read', preference: 'writer' })
  async export(): Promise<string> {
    return 'many calls at once';
  }

  @Locked('catalogue', { mode: 'write', preference: 'writer' })
  async replace(): Promise<string> {
    return 'alone';
  }
}
