import { expect, test } from 'vitest'
import { calendarDate, calendarYear } from './calendar-date.ts'

const lastMinutes = new Date('2026-12-31T23:50:00Z')

test.each([
  ['Asia/Tokyo', '2027-01-01', 2027],
  ['Pacific/Kiritimati', '2027-01-01', 2027],
  ['America/Los_Angeles', '2026-12-31', 2026],
  [undefined, '2026-12-31', 2026],
] as const)('the last minutes of the year in UTC are in %s on %s [documents 10]', (timeZone, date, year) => {
  expect(calendarDate(lastMinutes, timeZone)).toBe(date)
  expect(calendarYear(lastMinutes, timeZone)).toBe(year)
})
