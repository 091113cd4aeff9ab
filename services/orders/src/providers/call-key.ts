/**
 * Formats the idempotency key of a call. The row with its number is committed before the call; the number is incremented only after a read
 * has proved that the calls under the former one had no effect.
 */
export function formatCallKey(
  kind: 'pay' | 'setup' | 'refund' | 'payer',
  { id, step, number }: { id: string; step: string; number: number },
): string {
  return `${kind}:${id}:${step}:${number}`
}
