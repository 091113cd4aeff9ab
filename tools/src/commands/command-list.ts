import type { Command } from '../cli/command.ts'

/** Modules are loaded when called: `start` does not wait for the imports of `migrate`. */
export const commands: Record<string, () => Promise<Command>> = {
  start: async () => (await import('./start.ts')).start,
  demo: async () => (await import('./demo.ts')).demo,
  doctor: async () => (await import('./doctor.ts')).doctor,
  config: async () => (await import('./config.ts')).config,
  secrets: async () => (await import('./secrets.ts')).secrets,
  migrate: async () => (await import('./migrate.ts')).migrate,
  seed: async () => (await import('./seed.ts')).seed,
  'account create': async () => (await import('./account-create.ts')).accountCreate,
  'account verify': async () => (await import('./account-verify.ts')).accountVerify,
  'account reset-password': async () => (await import('./account-reset-password.ts')).accountResetPassword,
  'organization create': async () => (await import('./organization-create.ts')).organizationCreate,
  'member add': async () => (await import('./member-add.ts')).memberAdd,
  'token create': async () => (await import('./token-create.ts')).tokenCreate,
  'client create': async () => (await import('./client-create.ts')).clientCreate,
  'keys rotate': async () => (await import('./keys-rotate.ts')).keysRotate,
  'bus-keys': async () => (await import('./bus-keys.ts')).busKeys,
  'invoices verify': async () => (await import('./invoices-verify.ts')).invoicesVerify,
  events: async () => (await import('./events.ts')).events,
  'dead-letters': async () => (await import('./dead-letters.ts')).deadLetters,
  'payments stuck': async () => (await import('./payments.ts')).paymentsStuck,
  'payments show': async () => (await import('./payments.ts')).paymentsShow,
  'payments recheck': async () => (await import('./payments.ts')).paymentsRecheck,
  replay: async () => (await import('./replay.ts')).replay,
  openapi: async () => (await import('./openapi.ts')).openapi,
}
