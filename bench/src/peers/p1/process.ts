/** Functions that the processes of a peer share. */

export function setting(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set.`)
  return value
}

/** Notifies the parent process that this one is ready; exits with it. */
export function reportReady(port?: number): void {
  process.once('disconnect', () => process.exit())
  process.send?.({ port: port ?? null })
}
