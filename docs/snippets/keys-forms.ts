import { Injectable } from '@nestjs/common';
import { Locked, lockName, LockService } from 'nest-redis-lock';

interface Cart {
  readonly id: number;
  readonly owner?: string;
}

@Injectable()
export class CartService {
  constructor(private readonly locks: LockService) {}

  @Locked('cart:<0>:<1.id>') // a template
  async add(tenant: string, cart: Cart): Promise<string> {
    return `${tenant} ${cart.id}`;
  }

  @Locked((tenant: string, cart: Cart) => lockName`cart:${tenant}:${cart.id}`) // a function of the arguments
  async remove(tenant: string, cart: Cart): Promise<string> {
    return `${tenant} ${cart.id}`;
  }

  async checkOut(tenant: string, cart: Cart): Promise<string> {
    return this.locks.withLock(lockName`cart:${tenant}:${cart.id}`, () => `${tenant} ${cart.id}`); // by hand
  }
}
