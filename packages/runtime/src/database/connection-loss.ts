import type pg from 'pg'

/** A machine or network that vanishes closes no connection: the other end probes a silent one after `idle`, then every `interval`. */
const keepalive = { idleSeconds: 10, intervalSeconds: 5, probes: 3 } as const

/** Time after which a vanished peer is detected. */
const lossDetectionMs = (keepalive.idleSeconds + keepalive.intervalSeconds * keepalive.probes) * 1_000

/**
 * Settings with which PostgreSQL ends a connection whose client has vanished, and with it its locks; the default of Linux is two hours. The
 * last one is for a client that vanishes while it is sent a result, which is not probed. Without effect on Unix sockets.
 */
export const serverLossDetection = {
  tcp_keepalives_idle: `${keepalive.idleSeconds}`,
  tcp_keepalives_interval: `${keepalive.intervalSeconds}`,
  tcp_keepalives_count: `${keepalive.probes}`,
  tcp_user_timeout: `${lossDetectionMs}`,
} as const

/**
 * Options of a client that detects a vanished server while it connects and while no statement is under way. Node sets the interval and the
 * number of probes.
 */
export const clientLossDetection = {
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: keepalive.idleSeconds * 1_000,
} as const

const names = Object.keys(serverLossDetection)
const apply = `select ${names.map((_, index) => `set_config($${index * 2 + 1}, $${index * 2 + 2}, false)`).join(', ')}`

/** Has the server detect the loss of this client. A statement, because `options` of the URL would replace those of the client. */
export async function enableLossDetection(client: pg.Client): Promise<void> {
  await client.query(apply, Object.entries(serverLossDetection).flat())
}
