/** Something that may stand in one row of its kind at a time. */
export abstract class ListNode<P extends ListNode<P>> {
  /** Kept by the row. */
  list: LinkedList<P> | undefined = undefined;
  previous: P | undefined = undefined;
  next: P | undefined = undefined;
}

/**
 * A set in an order. Its members know their neighbours, so that coming and going, thousands of times a second, leaves
 * nothing behind: the tables of a `Set` or `Map` that were outgrown keep what was in them, and each the next, until the
 * old generation is collected.
 */
export class LinkedList<P extends ListNode<P>> implements Iterable<P> {
  first: P | undefined = undefined;
  private last: P | undefined = undefined;
  size = 0;

  has(place: P): boolean {
    return place.list === this;
  }

  /** As the last. Who stands in the row goes to its end. */
  append(place: P): void {
    this.delete(place);
    const { last } = this;
    place.list = this;
    place.previous = last;
    if (last) last.next = place;
    else this.first = place;
    this.last = place;
    this.size += 1;
  }

  /** As the first. */
  prepend(place: P): void {
    this.delete(place);
    const { first } = this;
    place.list = this;
    place.next = first;
    if (first) first.previous = place;
    else this.last = place;
    this.first = place;
    this.size += 1;
  }

  /** Whether it stood in the row. */
  delete(place: P): boolean {
    if (!this.has(place)) return false;
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

  /** In order. The one whose turn it is may go meanwhile; those after it may not. */
  *[Symbol.iterator](): Generator<P, undefined> {
    for (let place = this.first; place;) {
      const { next } = place;
      yield place;
      place = this.has(place) ? place.next : next;
    }
  }
}
