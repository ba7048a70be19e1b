import type { ProviderLog } from '../../payments/payment-provider.js';
import { PAYMENTS_AT_ONCE } from '../../payments/payment.service.js';
import { type ScenarioResult, type ByLocking } from '../scenario-result.js';
import type { RunningShop } from '../running-shop.js';

/** The log of the payment provider so far. */
export async function readPayments({ connect }: RunningShop): Promise<ProviderLog> {
  using shop = connect();
  return await shop.read('/payments');
}

export function paymentsResult(logs: ByLocking<ProviderLog>): ScenarioResult {
  const over = logs.filter(([locking, { peak }]) => locking !== 'off' && peak > PAYMENTS_AT_ONCE);
  return {
    title: `The payment gateway: a limit of ${PAYMENTS_AT_ONCE} payments for all processes; the provider counts them`,
    columns: ['locks', 'payments', 'most at once'],
    rows: logs.map(([locking, { payments, peak }]) => [locking, payments, peak]),
    remarks: over.length === 0 ? [`With the limit no more than ${PAYMENTS_AT_ONCE} payments ran at once.`] : [],
    failures: over.map(
      ([locking, { peak }]) => `With locks ${locking}, ${peak} payments ran at once; ${PAYMENTS_AT_ONCE} are allowed.`,
    ),
  };
}
