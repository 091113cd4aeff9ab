/** Prints the title of a section of the demo. */
export function createSection(number: number, title: string): void {
  console.log(`\n${number}. ${title}`)
}

/** Runs a step and prints its name, its duration and an optional detail of its result. */
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
