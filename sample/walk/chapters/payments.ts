import type { ProviderLog } from '../../payments/payment-provider.js';
import { PAYMENTS_AT_ONCE } from '../../payments/limited-payment.service.js';
import { type Chapter, type Seen } from '../chapter.js';
import type { Scene } from '../scene.js';

/** The log of the payment provider so far. */
export async function readPayments({ connect }: Scene): Promise<ProviderLog> {
  using shop = connect();
  return await shop.read('/payments');
}

export function paymentsChapter(logs: Seen<ProviderLog>): Chapter {
  const over = logs.filter(([locking, { peak }]) => locking !== 'off' && peak > PAYMENTS_AT_ONCE);
  return {
    title: `The payment gateway: a semaphore of ${PAYMENTS_AT_ONCE} permits for all processes; the provider counts who comes`,
    head: ['locks', 'payments', 'most at once'],
    rows: logs.map(([locking, { payments, peak }]) => [locking, payments, peak]),
    remarks: over.length === 0 ? [`With permits there were never more than ${PAYMENTS_AT_ONCE} payments at once.`] : [],
    complaints: over.map(
      ([locking, { peak }]) =>
        `With locks ${locking}, ${peak} payments were under way at once; ${PAYMENTS_AT_ONCE} are allowed.`,
    ),
  };
}
