import { inspect } from 'node:util';
import type { GrantedPermit } from './granted-permit.js';
import type { Permit } from './permit.js';

/**
 * A permit that is renewed, as its acquirer has it. The watchdog refers to the permit, and to this only once its id or its
 * signal was read: without these, a permit whose handle was collected can never be released.
 */
export class PermitHandle implements Permit {
  constructor(private readonly permit: GrantedPermit) {}

  get id(): string {
    this.permit.handle = this;
    return this.permit.id;
  }

  get name(): string {
    return this.permit.name;
  }

  get isHeld(): boolean {
    return this.permit.isHeld;
  }

  get isReleased(): boolean {
    return this.permit.isReleased;
  }

  get remaining(): number {
    return this.permit.remaining;
  }

  get signal(): AbortSignal {
    this.permit.handle = this;
    return this.permit.signal;
  }

  assertHeld(): void {
    this.permit.assertHeld();
  }

  release(): Promise<'released' | 'expired'> {
    return this.permit.release();
  }

  toString(): string {
    return this.id;
  }

  toJSON(): string {
    return this.id;
  }

  [inspect.custom](): string {
    return inspect(this.permit);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.permit[Symbol.asyncDispose]();
  }
}
