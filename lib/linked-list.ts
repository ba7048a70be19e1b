/** Base class of list nodes. A node is in one list at a time. */
export abstract class ListNode<P extends ListNode<P>> {
  /** Managed by the list. */
  list: LinkedList<P> | undefined = undefined;
  previous: P | undefined = undefined;
  next: P | undefined = undefined;
}

/**
 * Intrusive doubly linked list. Used instead of `Set`/`Map` on the hot path: V8 keeps outgrown hash tables, each with
 * its content and the next table, until the next full GC.
 */
export class LinkedList<P extends ListNode<P>> implements Iterable<P> {
  first: P | undefined = undefined;
  private last: P | undefined = undefined;
  size = 0;

  has(place: P): boolean {
    return place.list === this;
  }

  /** Adds a node at the end. A node that is in this list moves there. */
  append(place: P): void {
    if (place.list === this) this.delete(place);
    const { last } = this;
    place.list = this;
    place.previous = last;
    if (last) last.next = place;
    else this.first = place;
    this.last = place;
    this.size += 1;
  }

  /** Adds a node at the front. A node that is in this list moves there. */
  prepend(place: P): void {
    if (place.list === this) this.delete(place);
    const { first } = this;
    place.list = this;
    place.next = first;
    if (first) first.previous = place;
    else this.last = place;
    this.first = place;
    this.size += 1;
  }

  /** @returns Whether the node was in this list. */
  delete(place: P): boolean {
    if (place.list !== this) return false;
    const { previous, next } = place;
    if (previous) previous.next = next;
    else this.first = next;
    if (next) next.previous = previous;
    else this.last = previous;
    place.list = undefined;
    place.previous = undefined;
    place.next = undefined;
    this.size -= 1;
    return true;
  }

  /** In order. The current node may be deleted during iteration; the nodes after it may not. */
  *[Symbol.iterator](): Generator<P, undefined> {
    for (let place = this.first; place;) {
      const { next } = place;
      yield place;
      place = this.has(place) ? place.next : next;
    }
  }
}
