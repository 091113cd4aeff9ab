/** `npm run check`: what must hold before every commit. */
import { runSteps } from './run-steps.ts'

const passed = await runSteps([
  [
    { name: 'format', command: ['oxfmt', '--check'] },
    { name: 'types', command: ['tsc', '--noEmit'] },
    { name: 'lint', command: ['oxlint'] },
    { name: 'dead code', command: ['knip'] },
  ],
  [
    { name: 'dependencies', command: ['sherif', '--ignore-dependency', 'zod'] },
    { name: 'boundaries', command: ['depcruise', '--config', '.dependency-cruiser.cjs', 'packages', 'services', 'tools', 'e2e'] },
    { name: 'package boundaries', command: ['turbo', 'boundaries'], env: { TURBO_TELEMETRY_DISABLED: '1' } },
    { name: 'generated files', command: ['node', 'tools/src/generate.ts', '--check'] },
    { name: 'unit tests', command: ['vitest', 'run', '--project', 'unit'] },
  ],
])
process.exit(passed ? 0 : 1)
