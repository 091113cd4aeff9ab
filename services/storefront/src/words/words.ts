import type { en } from './en.ts'

/** Words of the pages in one language. A language that lacks a key does not compile. */
export type Words = typeof en
