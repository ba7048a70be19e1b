import { LockUnavailableError } from '../../lib/errors.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { ChannelListener } from '../../lib/waiting/channel-listener.js';
import { ScriptedPubSub } from './scripted-pub-sub.js';

/** A listener whose request for a subscription the test settles. It is sent when `listen` is called. */
const setUp = () => {
  const pubSub = new ScriptedPubSub();
  const requests: { readonly confirm: () => void; readonly refuse: (error: Error) => void }[] = [];
  pubSub.answer = () => new Promise((confirm, refuse) => void requests.push({ confirm, refuse }));
  const calls: string[] = [];
  const listener = new ChannelListener(pubSub, 'channel', {
    onMessage: () => void calls.push('message'),
    onSubscribed: () => void calls.push('subscribed'),
    onUnsubscribed: () => void calls.push('unsubscribed'),
    onDenied: (denied) => void calls.push(denied === listener ? 'denied' : 'unknown'),
    onFailed: (error) => void calls.push(error instanceof Error ? error.message : 'unknown'),
  });
  const clock = new ManualClock();
  const settle = async (act: (request: (typeof requests)[number]) => void): Promise<void> => {
    const request = requests.shift();
    if (!request) throw new Error('No subscription is requested');
    act(request);
    await clock.advance(0);
  };
  return {
    pubSub,
    calls,
    listener,
    confirm: () => settle(({ confirm }) => confirm()),
    refuse: (error: Error) => settle(({ refuse }) => refuse(error)),
  };
};

const PASSING = new LockUnavailableError('no connection', 'not-sent', false);
const PERMANENT = new LockUnavailableError('WRONGPASS', 'not-sent', true);
const DENIED = new LockUnavailableError('NOPERM', 'refused', true);
const OTHER = new TypeError('broken');

describe('A channel listener', () => {
  it('requests one subscription, however often listen() is called', async () => {
    const { pubSub, calls, listener, confirm } = setUp();
    listener.listen();
    listener.listen();
    expect(pubSub.asked).toBe(1);
    expect(listener.isSubscribed).toBe(false);
    await confirm();
    listener.listen();
    expect(pubSub.asked).toBe(1);
    expect(listener.isSubscribed).toBe(true);
    expect(pubSub.subscriptions).toMatchObject([{ channel: 'channel' }]);
    expect(calls).toEqual(['subscribed']);
  });

  it('D71: waits for a subscription that begins later, and does not ask for another', async () => {
    const { pubSub, calls, listener, confirm } = setUp();
    pubSub.areAlive = false;
    listener.listen();
    await confirm();
    listener.listen();
    expect([pubSub.asked, listener.isSubscribed, calls]).toEqual([1, false, ['unsubscribed']]);
    for (const subscription of pubSub.subscriptions) {
      subscription.alive = true;
      subscription.listener();
    }
    expect([listener.isSubscribed, calls]).toEqual([true, ['unsubscribed', 'message']]);
  });

  it('D71: is interested in its subscription until it is closed', () => {
    const { listener } = setUp();
    listener.listen();
    expect(listener.isInterested).toBe(true);
    listener.close();
    expect(listener.isInterested).toBe(false);
  });

  it.each([
    { error: PASSING, reported: ['unsubscribed'] },
    { error: PERMANENT, reported: ['unsubscribed'] },
    { error: DENIED, reported: ['unsubscribed', 'denied'] },
    { error: OTHER, reported: ['broken'] },
  ])('requests a subscription again only at the next listen() after: $error.message', async ({ error, reported }) => {
    const { pubSub, calls, listener, confirm, refuse } = setUp();
    listener.listen();
    await refuse(error);
    expect(calls).toEqual(reported);
    expect(listener.isSubscribed).toBe(false);
    expect(pubSub.asked).toBe(1);
    listener.listen();
    expect(pubSub.asked).toBe(2);
    await confirm();
    expect(listener.isSubscribed).toBe(true);
    expect(calls).toEqual([...reported, 'subscribed']);
  });

  it('D71: hears as soon as its first subscription is on its way, but reports only the first failure', async () => {
    const { calls, listener, confirm, refuse } = setUp();
    expect(listener.isHearing).toBe(false);
    listener.listen();
    expect(listener.isHearing).toBe(true);
    await refuse(PASSING);
    expect(listener.isHearing).toBe(false);
    listener.listen();
    expect(listener.isHearing).toBe(false);
    await refuse(PASSING);
    listener.listen();
    await refuse(DENIED);
    listener.listen();
    await confirm();
    expect(listener.isHearing).toBe(true);
    expect(calls).toEqual(['unsubscribed', 'denied', 'subscribed']);
  });

  it.each([
    { error: PASSING, reported: [] },
    { error: OTHER, reported: ['broken'] },
  ])('requests nothing more after close() during a request that fails: $error.message', async ({ error, reported }) => {
    const { pubSub, calls, listener, refuse } = setUp();
    listener.listen();
    listener.close();
    await refuse(error);
    listener.listen();
    expect(pubSub.asked).toBe(1);
    expect(calls).toEqual(reported);
  });
});
