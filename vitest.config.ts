import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongFilesFirst } from './packages/testing/src/long-files-first.ts'

/** Three levels, one file suffix each; see CONTRIBUTING.md. */
export default defineConfig({
  test: {
    reporters: ['default'],
    sequence: { sequencer: LongFilesFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Pure tests share no state, and importing the modules again for each file takes longer than the tests.
          isolate: false,
          include: ['{packages,services,tools,bench}/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/*.{service,e2e}.test.ts'],
          // Password hashing is slow on purpose, some tests run commands, and a busy machine is not a failure.
          testTimeout: 120_000,
          // On two cores vitest would use one worker, and the last workspace of a run has both cores.
          maxWorkers: Math.max(2, availableParallelism() - 1),
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['{packages,services,tools}/**/*.service.test.ts'],
          // The files of a worker share the imported modules: importing them for each file takes a fifth of the CPU time. The environment is
          // restored after each file, and a service reads it when it starts.
          isolate: false,
          setupFiles: ['packages/testing/src/restore-environment.ts'],
          globalSetup: ['packages/testing/src/infrastructure.ts'],
          // Longer than any wait inside a test, so that the failure names the condition that was not met.
          testTimeout: 180_000,
          hookTimeout: 120_000,
          // Tests often wait for timers and for other processes.
          maxWorkers: availableParallelism() + 1,
          // Vitest sets its own BASE_URL; these are the settings of a service under test.
          env: {
            BASE_URL: 'http://127.0.0.1:8080',
            SANDBOX_PAYMENTS: 'on',
            SANDBOX_TEST_CLOCK: 'on',
            LINK_SECRET: 'a-secret-for-links-of-tests-only-0123456789',
            SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
            // What tests prove of passwords holds at every cost; the recommended one would take a third of the time of all tests of auth.
            PASSWORD_HASH_COST: '10',
            MAIL_KEY: Buffer.alloc(32, 3).toString('base64'),
            WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
            // Tests check how a document looks; the time it takes depends on the machine.
            RENDER_TIMEOUT_MS: '150000',
          },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['e2e/**/*.e2e.test.ts'],
          // These start, kill and replicate the processes of separate systems: not possible on a system that runs elsewhere.
          exclude: ['**/node_modules/**', ...(process.env['E2E_BASE_URL'] ? ['e2e/own-system/**'] : [])],
          globalSetup: ['e2e/shared-systems.ts'],
          testTimeout: 240_000,
          hookTimeout: 180_000,
          // As at the service level.
          isolate: false,
          setupFiles: ['packages/testing/src/restore-environment.ts'],
          // Each worker has a system, whatever the number of cores.
          maxWorkers: process.env['E2E_BASE_URL'] ? 1 : 3,
          env: { PASSWORD_HASH_COST: '10' },
        },
      },
      {
        extends: true,
        test: {
          name: 'containers',
          include: ['{e2e,examples}/**/*.containers.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 400_000,
          maxWorkers: 1,
          fileParallelism: false,
        },
      },
    ],
  },
})
