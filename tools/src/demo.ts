/** `npm run demo`: `quittance demo` with the same arguments. */
process.argv.splice(2, 0, 'demo')
await import('./quittance.ts')
