/** What the processes of a peer have in common. */

export function setting(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

/** Tells the process that started this one that it is ready; ends with it. */
export function announce(port?: number): void {
  process.once('disconnect', () => process.exit())
  process.send?.({ port: port ?? null })
}
