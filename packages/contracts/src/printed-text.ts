import type { z } from 'zod'

// Tabs and line ends are white space; nothing can print the other control characters.
const controls = /[^\P{Cc}\t\n\r]/u

/** Text that is printed on permanent documents: without control characters. */
export function withoutControls<Text extends z.ZodType<string, string>>(text: Text) {
  return text.refine((value) => !controls.test(value), 'Must not contain control characters.')
}

/**
 * Removes the characters that embed, isolate or override a writing direction (UAX #9): invisible, and able to show a name in another order
 * than it has. Marks of a direction stay, which only place neighbouring punctuation.
 */
export function withoutDirectionControls(text: string): string {
  return text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
}
