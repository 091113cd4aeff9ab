/**
 * Selects the size of a load: `small` in `npm test`, `full` with `TEST_SCALE=full`, as the gate sets it. The guarantee of a test holds at every
 * size; the full one only meets more interleavings.
 */
export function scale<T>(small: T, full: T): T {
  const value = process.env['TEST_SCALE'] ?? 'small'
  if (value !== 'small' && value !== 'full') throw new Error(`TEST_SCALE is "${value}"; it must be small or full.`)
  return value === 'full' ? full : small
}
