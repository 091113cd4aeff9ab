import type { Step } from './run-steps.ts'

/** What must hold before every commit, in two lanes. */
export const checkSteps: readonly (readonly Step[])[] = [
  [
    { name: 'format', command: ['oxfmt', '--check'] },
    { name: 'types', command: ['tsc', '--noEmit'] },
    { name: 'lint', command: ['oxlint'] },
    { name: 'dead code', command: ['knip'] },
  ],
  [
    { name: 'dependencies', command: ['sherif', '--ignore-dependency', 'zod'] },
    {
      name: 'boundaries',
      command: ['depcruise', '--config', '.dependency-cruiser.cjs', 'packages', 'services', 'tools', 'e2e', 'examples'],
    },
    { name: 'package boundaries', command: ['turbo', 'boundaries'], env: { TURBO_TELEMETRY_DISABLED: '1' } },
    { name: 'generated files', command: ['node', 'tools/src/generate.ts', '--check'] },
    { name: 'kubernetes', command: ['node', 'tools/src/kubernetes.ts'] },
    { name: 'contracts', command: ['node', 'tools/src/contracts.ts'] },
    { name: 'unit tests', command: ['vitest', 'run', '--project', 'unit'] },
  ],
]
