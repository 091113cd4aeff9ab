/**
 * Idempotency key of a call. The row with its submission number is committed before the call; the number is incremented only after a read
 * has proved that the former submission had no effect.
 */
export function keyOf(kind: 'pay' | 'setup' | 'refund' | 'payer', rowId: string, step: string, submission: number): string {
  return `${kind}:${rowId}:${step}:${submission}`
}
