/** Tells a story step by step, with the time each took. */
export function chapter(number: number, title: string): void {
  console.log(`\n${number}. ${title}`)
}

/** Work that returns what it worked on, or that and a word about it. */
export async function step<Result>(name: string, work: () => Promise<Result>, detail?: (result: Result) => string): Promise<Result> {
  const startedAt = performance.now()
  const took = () => `${Math.round(performance.now() - startedAt)} ms`
  try {
    const result = await work()
    console.log(`   ✓ ${`${name}${detail ? `: ${detail(result)}` : ''}`.padEnd(86)} ${took().padStart(8)}`)
    return result
  } catch (error) {
    console.log(`   ✗ ${name} (after ${took()})`)
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
  }
}
