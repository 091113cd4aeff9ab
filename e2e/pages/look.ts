import { expect } from 'vitest'
import { findOverflow, findViolations, screenshot, type Page } from '../browser/chromium.ts'

/** Saves a picture of a page, which must be accessible and fit its window. */
export async function look(page: Page, name: string): Promise<void> {
  await screenshot(page, name)
  expect({ name, violations: await findViolations(page), overflow: await findOverflow(page) }).toEqual({
    name,
    violations: [],
    overflow: 0,
  })
}
