import type { Command } from './command.ts'

/** Loaded when called: `start` does not wait for what only `migrate` needs. */
export const commands: Record<string, () => Promise<Command>> = {
  start: async () => (await import('./start.ts')).start,
  demo: async () => (await import('./demo.ts')).demo,
  doctor: async () => (await import('./doctor.ts')).doctor,
  config: async () => (await import('./config.ts')).config,
  migrate: async () => (await import('./migrate.ts')).migrate,
  seed: async () => (await import('./seed.ts')).seed,
  'account create': async () => (await import('./account-create.ts')).accountCreate,
  'organization create': async () => (await import('./organization-create.ts')).organizationCreate,
  'member add': async () => (await import('./member-add.ts')).memberAdd,
  'token create': async () => (await import('./token-create.ts')).tokenCreate,
  'client create': async () => (await import('./client-create.ts')).clientCreate,
  'keys rotate': async () => (await import('./keys-rotate.ts')).keysRotate,
  events: async () => (await import('./events.ts')).events,
  'dead-letters': async () => (await import('./dead-letters.ts')).deadLetters,
  replay: async () => (await import('./replay.ts')).replay,
  openapi: async () => (await import('./openapi.ts')).openapi,
}
