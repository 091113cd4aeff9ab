import { permissionsOf, natsUsers, type NatsUser } from '@quittance/contracts/permissions'

export interface NatsConfigOptions {
  /** Address and port for clients, `127.0.0.1:4222`. */
  listen: string
  /** Address and port of the monitoring pages. */
  monitor: string
  storeDir: string
  /** Password of a user as the configuration file shall name it: a quoted string or an environment variable (`$NAME`). */
  passwordOf: (user: NatsUser) => string
  /**
   * That many accounts `w0`, `w1`, … each with a JetStream of its own and one user of the same name and password who may do
   * everything: tests run side by side without hearing each other.
   */
  testAccounts?: number
}

/** The configuration of nats-server: one user per service, whose rights derive from the contracts. */
export function natsConfig({ listen, monitor, storeDir, passwordOf, testAccounts = 0 }: NatsConfigOptions): string {
  const users = natsUsers.map((user) => userBlock(user, passwordOf(user))).join('\n')
  const access = testAccounts ? accountsBlock(users, testAccounts) : `authorization {\n  users: [\n${users}\n  ]\n}`
  return `listen: ${quote(listen)}
http: ${quote(monitor)}
# An order of five thousand lines is one answer and one event. The server's own documentation advises against more.
max_payload: 8MB
# Who is frozen or cut off is noticed after six seconds, not after minutes: until then requests go to him and are lost.
ping_interval: "2s"
ping_max: 2

jetstream {
  store_dir: ${quote(storeDir)}
}

${access}
`
}

function userBlock(user: NatsUser, password: string): string {
  const { publish, subscribe } = permissionsOf(user)
  return `    {
      user: ${user}
      password: ${password}
      permissions: {
        publish: ${list(publish)}
        subscribe: ${list(subscribe)}
      }
    }`
}

function accountsBlock(users: string, count: number): string {
  const workers = Array.from({ length: count }, (_, index) => `w${index}`)
  const accounts = workers.map((name) => `  ${name}: { jetstream: enabled, users: [{ user: ${name}, password: ${name} }] }`)
  return ['accounts {', '  quittance: {', '  jetstream: enabled', '  users: [', users, '  ]', '  }', ...accounts, '}'].join('\n')
}

function list(subjects: readonly string[]): string {
  return subjects.length === 0 ? '{ deny: ">" }' : `[\n${subjects.map((subject) => `          ${quote(subject)}`).join('\n')}\n        ]`
}

export function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
