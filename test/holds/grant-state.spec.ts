import {
  afterClose,
  afterCommand,
  afterLoss,
  type GrantState,
  GRANTED,
  isClosed,
  isHeld,
} from '../../lib/holds/grant-state.js';

const changed = afterCommand(GRANTED);
const lost = afterLoss(GRANTED, 'lease-over');
const released = afterClose(GRANTED);

describe('The state of a grant', () => {
  it.each<readonly [before: string, state: GrantState, phase: string, loss: string | undefined]>([
    ['a command', changed, 'changed', undefined],
    ['a second command', afterCommand(changed), 'changed', undefined],
    ['a loss', lost, 'lost', 'lease-over'],
    ['a command and a loss', afterLoss(changed, 'gone'), 'lost', 'gone'],
    ['its last hold', released, 'released', undefined],
    ['a command and its last hold', afterClose(changed), 'released', undefined],
  ])('after %s is %j', (_, state, phase, loss) => {
    expect(state).toEqual({ phase, loss });
  });

  it('is expired after a loss and the last hold, in either order', () => {
    if (lost.phase !== 'lost' || released.phase !== 'released') throw new Error('Unexpected state');
    expect(afterClose(lost)).toEqual({ phase: 'expired', loss: 'lease-over' });
    expect(afterLoss(released, 'gone')).toEqual({ phase: 'expired', loss: 'gone' });
  });

  it('is held, lost, or closed', () => {
    const expired = afterLoss({ phase: 'released', loss: undefined }, 'gone');
    const states: readonly GrantState[] = [GRANTED, changed, lost, released, expired];
    expect(states.filter(isHeld)).toEqual([GRANTED, changed]);
    expect(states.filter(isClosed)).toEqual([released, expired]);
  });

  it('has no illegal transition that compiles', () => {
    if (lost.phase !== 'lost' || released.phase !== 'released') throw new Error('Unexpected state');
    const illegal = [
      // @ts-expect-error A grant is lost once.
      () => afterLoss(lost, 'gone'),
      // @ts-expect-error A closed grant does not close again.
      () => afterClose(released),
      // @ts-expect-error No command is sent after a loss.
      () => afterCommand(lost),
      // @ts-expect-error No command but the release is sent after the last hold has left.
      () => afterCommand(released),
    ];
    expect(illegal).toHaveLength(4);
  });
});
