import { natsUsers, type NatsUser } from '@quittance/contracts/nats-users'
import { natsAccountFor, natsPermissionsFor, streamImports, type NatsAccount, type NatsPermissions } from '@quittance/contracts/permissions'
import { transitionalPermissionsFor } from '@quittance/contracts/transitional-permissions'

export interface NatsConfigOptions {
  /** Address and port for clients, `127.0.0.1:4222`. */
  listen: string
  /** Address and port of the monitoring endpoint. */
  monitor: string
  storeDir: string
  /**
   * Limit of the stored streams. Without one the server takes 75 % of the space that is free at its start. A server that runs without rejects a reload
   * that has one, with all its other changes.
   */
  maxFileStore?: string
  /** Returns the password of a user as written to the configuration file: a quoted string or an environment variable (`$NAME`). */
  passwordOf: (user: NatsUser) => string
  /**
   * Number of accounts `w0`, `w1`, …, each with a separate JetStream and one user with the same name and password and all rights: tests run
   * in parallel without receiving each other's messages.
   */
  testAccounts?: number
  /** Adds the rights of release 0.1.0, see `transitionalPermissionsFor`. */
  transitional?: boolean
}

/** Returns the configuration of nats-server: one user per service, with rights derived from the contracts. */
export function natsConfig({
  listen,
  monitor,
  storeDir,
  passwordOf,
  maxFileStore,
  testAccounts = 0,
  transitional = false,
}: NatsConfigOptions): string {
  return `listen: ${quote(listen)}
http: ${quote(monitor)}
# An order of five thousand lines is one reply and one event. The server's documentation advises against more than 8 MB.
max_payload: 8MB
# A client that hangs or has disappeared is detected after six seconds instead of minutes; until then requests to it are lost. Servers that pause
# the pings of clients to which they send, as 2.9, detect it only once no more is sent to it.
ping_interval: "2s"
ping_max: 2

jetstream {
  store_dir: ${quote(storeDir)}${maxFileStore === undefined ? '' : `\n  max_file_store: ${maxFileStore}`}
}

${transitional ? transitionalBlock(passwordOf) : accountsBlock(passwordOf, testAccounts)}
`
}

function transitionalBlock(passwordOf: NatsConfigOptions['passwordOf']): string {
  const users = natsUsers.map((user) => userBlock(user, { password: passwordOf(user), permissions: transitionalPermissionsFor(user) }))
  return `authorization {\n  users: [\n${users.join('\n')}\n  ]\n}`
}

function accountsBlock(passwordOf: NatsConfigOptions['passwordOf'], testAccounts: number): string {
  const workers = Array.from({ length: testAccounts }, (_, index) => `w${index}`)
  return `accounts {
  stream {
    jetstream: enabled
    exports: [
${streamImports.map(({ subject, replies }) => `      { service: ${quote(subject)}${replies === 'many' ? ', response_type: stream' : ''} }`).join('\n')}
    ]
    users: [
${formatUsers('stream', passwordOf)}
    ]
  }
  services {
    imports: [
${streamImports.map(({ subject }) => `      { service: { account: stream, subject: ${quote(subject)} } }`).join('\n')}
    ]
    users: [
${formatUsers('services', passwordOf)}
    ]
  }
${workers.map((name) => `  ${name}: { jetstream: enabled, users: [{ user: ${name}, password: ${name} }] }\n`).join('')}}`
}

function formatUsers(account: NatsAccount, passwordOf: NatsConfigOptions['passwordOf']): string {
  return natsUsers
    .filter((user) => natsAccountFor(user) === account)
    .map((user) => userBlock(user, { password: passwordOf(user), permissions: natsPermissionsFor(user) }))
    .join('\n')
}

function userBlock(user: NatsUser, { password, permissions }: { password: string; permissions: NatsPermissions }): string {
  const { publish, subscribe } = permissions
  return `      {
        user: ${user}
        password: ${password}
        permissions: {
          publish: ${list(publish)}
          subscribe: ${list(subscribe)}
        }
      }`
}

function list(subjects: readonly string[]): string {
  return subjects.length === 0
    ? '{ deny: ">" }'
    : `[\n${subjects.map((subject) => `            ${quote(subject)}`).join('\n')}\n          ]`
}

export function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
