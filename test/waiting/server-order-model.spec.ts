import fc from 'fast-check';
import { ServerOrder } from '../../lib/waiting/fair/queue-heartbeat.js';

/** A simple model of the order: an array that is searched every time. */
class Model {
  order: number[] = [];

  add(waiter: number): void {
    if (!this.order.includes(waiter)) this.order.push(waiter);
  }

  delete(waiter: number): void {
    this.order = this.order.filter((other) => other !== waiter);
  }

  putFirst(waiter: number): void {
    this.delete(waiter);
    this.order.unshift(waiter);
  }
}

const steps = fc.array(fc.tuple(fc.constantFrom('add' as const, 'delete' as const, 'putFirst' as const), fc.nat(9)), {
  maxLength: 60,
});

describe('The places of a fair queue', () => {
  it('have the first and the order that an array would have, after any arrivals and departures', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const [places, model] = [new ServerOrder<number>(), new Model()];
        for (const [step, waiter] of list) {
          places[step](waiter);
          model[step](waiter);
          expect(places.head).toBe(model.order[0]);
          expect(places.all()).toEqual(model.order);
          expect(places.has(waiter)).toBe(model.order.includes(waiter));
        }
      }),
    );
  });
});
