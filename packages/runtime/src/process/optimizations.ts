/** Optimizations with a plain second implementation: `npm run bench -- optimizations` measures what each saves. */
export const optimizationNames = ['batched-publish'] as const
export type Optimization = (typeof optimizationNames)[number]

/** Environment variable that names the optimizations to leave out, comma-separated. For the benchmark only: it is no setting of a service. */
export const withoutOptimizations = 'BENCH_WITHOUT'

const leftOut = (process.env[withoutOptimizations] ?? '').split(',')

/** Whether a process uses an optimization: always, except in a contender of the benchmark. */
export function isOptimized(name: Optimization): boolean {
  return !leftOut.includes(name)
}
