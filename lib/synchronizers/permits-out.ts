import type { PermitId } from '../context/permit-ids.js';
import type { GrantedPermit } from './granted-permit.js';

/**
 * Permits granted in this process that are still referenced, so that a release or a new lease by id reaches the object.
 * Held weakly: other processes may release them, and this map must not keep those in memory.
 */
export class PermitsOut {
  private readonly byId = new Map<PermitId, WeakRef<GrantedPermit>>();
  private readonly collected = new FinalizationRegistry<PermitId>((id) => this.byId.delete(id));

  add(permit: GrantedPermit): void {
    this.byId.set(permit.id, new WeakRef(permit));
    this.collected.register(permit, permit.id, permit);
  }

  find(name: string, id: PermitId): GrantedPermit | undefined {
    const permit = this.byId.get(id)?.deref();
    return permit?.name === name ? permit : undefined;
  }

  has(id: PermitId): boolean {
    return this.byId.get(id)?.deref() !== undefined;
  }

  delete(permit: GrantedPermit): void {
    this.byId.delete(permit.id);
    this.collected.unregister(permit);
  }

  get size(): number {
    return this.byId.size;
  }

  *[Symbol.iterator](): Generator<GrantedPermit> {
    for (const reference of this.byId.values()) {
      const permit = reference.deref();
      if (permit) yield permit;
    }
  }
}
