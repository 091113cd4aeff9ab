import { eventually } from '@quittance/testing/eventually'
import { expect } from 'vitest'

/** Asks until it is refused: no request that began later than that after this call may have been let in. */
export async function refusedWithin(ms: number, ask: () => Promise<{ status: number }>): Promise<void> {
  const ended = Date.now()
  let lastLetIn = ended
  await eventually(async () => {
    const began = Date.now()
    const { status } = await ask()
    if (status !== 401) lastLetIn = began
    expect(status).toBe(401)
  })
  expect(lastLetIn - ended).toBeLessThanOrEqual(ms)
}
