import { LinkedList, ListNode } from '../lib/linked-list.js';
import { Rng } from './chaos/rng.js';

class Person extends ListNode<Person> {
  constructor(readonly name: number) {
    super();
  }
}

describe('A list', () => {
  it.each([1, 2, 3])('has each element once after any insertions and removals (seed %p)', (seed) => {
    const rng = new Rng(seed);
    const list = new LinkedList<Person>();
    const people = Array.from({ length: 8 }, (_, name) => new Person(name));
    let expected: Person[] = [];
    const acts = {
      append: (person: Person, others: readonly Person[]) => (list.append(person), [...others, person]),
      prepend: (person: Person, others: readonly Person[]) => (list.prepend(person), [person, ...others]),
      delete: (person: Person, others: readonly Person[]) => (list.delete(person), [...others]),
    };
    for (let step = 0; step < 1000; step++) {
      const person = rng.pick(people);
      const others = expected.filter((other) => other !== person);
      expected = acts[rng.pick(['append', 'prepend', 'delete'] as const)](person, others);
      expect([...list]).toEqual(expected);
      expect(list.size).toBe(expected.length);
      expect(list.first).toBe(expected[0]);
      expect(people.filter((one) => list.has(one))).toEqual(people.filter((one) => expected.includes(one)));
    }
  });

  it('can be iterated while each element is removed in its turn', () => {
    const list = new LinkedList<Person>();
    for (let name = 0; name < 5; name++) list.append(new Person(name));
    const seen: number[] = [];
    for (const person of list) {
      seen.push(person.name);
      list.delete(person);
    }
    expect(seen).toEqual([0, 1, 2, 3, 4]);
    expect(list.size).toBe(0);
  });

  it('clears the neighbours of removed elements, which would keep each other alive', () => {
    const list = new LinkedList<Person>();
    const [one, two, three] = [new Person(1), new Person(2), new Person(3)];
    for (const person of [one, two, three]) list.append(person);
    expect([list.delete(two), list.delete(two)]).toEqual([true, false]);
    expect(two).toMatchObject({ list: undefined, previous: undefined, next: undefined });
    expect([...list]).toEqual([one, three]);
  });
});
