import { defineConfig } from 'vitest/config'

/** Three levels, one suffix each; see CONTRIBUTING.md. */
export default defineConfig({
  test: {
    reporters: ['default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{packages,services,tools,bench}/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/*.{service,e2e}.test.ts'],
          // Passwords are slow to hash on purpose, and a busy machine is no fault.
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['{packages,services,tools}/**/*.service.test.ts'],
          globalSetup: ['packages/testing/src/infrastructure.ts'],
          // Longer than what a test waits for, so that the condition is named that did not come.
          testTimeout: 180_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          // Vitest sets BASE_URL to its own; these are the settings of a service under test.
          env: {
            BASE_URL: 'http://127.0.0.1:8080',
            SANDBOX_TEST_CLOCK: 'on',
            LINK_SECRET: 'a-secret-for-links-of-tests-only-0123456789',
            SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
            WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
            // What is demanded of a document is how it looks; how long it may take is the machine's.
            RENDER_TIMEOUT_MS: '150000',
          },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['e2e/**/*.e2e.test.ts'],
          // These start, kill and multiply the processes of systems of their own: nothing to be done to a system that runs elsewhere.
          exclude: ['**/node_modules/**', ...(process.env['E2E_BASE_URL'] ? ['e2e/own-system/**'] : [])],
          globalSetup: ['packages/testing/src/shared-systems.ts'],
          testTimeout: 240_000,
          hookTimeout: 180_000,
          maxWorkers: process.env['E2E_BASE_URL'] ? 1 : 2,
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
