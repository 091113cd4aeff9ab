import type { BenchOptions } from '../options.ts'

/** Node's JIT compiler works for seconds after the start; code that is not yet compiled costs more, and our system has more of it. */
const firstWarmUpSeconds = 20
const warmUpSeconds = 1

interface Rounds<Contender, Window> {
  options: BenchOptions
  log(line: string): void
  warmUp(contender: Contender, seconds: number): Promise<void>
  /** Called once, after the first warm-up. */
  afterWarmUp?(): Promise<void>
  measure(contender: Contender): Promise<Window>
}

/** Measures windows of all contenders, one after the other within a round, so that other load on the machine affects all of them. */
export async function interleaved<Contender extends { name: string }, Window>(
  contenders: readonly Contender[],
  { options, log, warmUp, afterWarmUp, measure }: Rounds<Contender, Window>,
): Promise<Map<string, Window[]>> {
  const seconds = Math.ceil(contenders.length * (firstWarmUpSeconds + options.rounds * (options.seconds + warmUpSeconds)) * 1.05)
  log(`${contenders.map(({ name }) => name).join(', ')} are ready; measuring for about ${seconds} s`)
  for (const contender of contenders) await warmUp(contender, firstWarmUpSeconds)
  await afterWarmUp?.()
  const windows = new Map(contenders.map((contender) => [contender.name, [] as Window[]]))
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const contender of contenders) {
      await warmUp(contender, warmUpSeconds)
      windows.get(contender.name)?.push(await measure(contender))
    }
    log(`round ${round} of ${options.rounds} is done`)
  }
  return windows
}
