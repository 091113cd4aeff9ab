import { eventually } from './eventually.ts'

/** Asks until it is refused: no request that began later than that after this call may have been let in. */
export async function refusedWithin(ms: number, ask: () => Promise<{ status: number }>): Promise<void> {
  const ended = Date.now()
  let lastLetIn = ended
  await eventually(async () => {
    const began = Date.now()
    const { status } = await ask()
    if (status === 401) return
    lastLetIn = began
    throw new Error(`Answered ${status}, not refused`)
  })
  if (lastLetIn - ended > ms) throw new Error(`Let in ${lastLetIn - ended} ms after it ended`)
}
