/** `npm run check`: what must hold before every commit. The result of a task whose inputs have not changed comes from the cache. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runTurbo } from './run-turbo.ts'

const { tasks } = JSON.parse(readFileSync(join(import.meta.dirname, '../../turbo.json'), 'utf8')) as { tasks: Record<string, unknown> }
const root = Object.keys(tasks).flatMap((task) => (task.startsWith('//#check:') ? [task.slice('//#'.length)] : []))
process.exitCode = await runTurbo(['run', ...root, 'test', '--concurrency=2', '--continue=always', '--output-logs=errors-only'])
