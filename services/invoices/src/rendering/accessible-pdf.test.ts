import { expect, test } from 'vitest'
import { markArtifacts } from './accessible-pdf.ts'

test('marks text, lines and pictures outside of tags as artifacts and nothing else', () => {
  const content = [
    ...['q', '/G3 gs', 'BT', '/F4 10 Tf', '<0054> Tj', 'ET', '0 0 10 10 re', 'W* n', '1 2 3 4 re', 'f', '/X5 Do'],
    ...['/P <</MCID 0 >>BDC', 'BT', '<0029> Tj', 'ET', '5 5 1 1 re', 'f', 'EMC', 'Q', ''],
  ]
  expect(markArtifacts(content.join('\n')).split('\n')).toEqual([
    ...['q', '/G3 gs', '/Artifact BMC', 'BT', '/F4 10 Tf', '<0054> Tj', 'ET', 'EMC', '0 0 10 10 re', 'W* n'],
    ...['/Artifact BMC', '1 2 3 4 re', 'f', 'EMC', '/Artifact BMC', '/X5 Do', 'EMC'],
    ...['/P <</MCID 0 >>BDC', 'BT', '<0029> Tj', 'ET', '5 5 1 1 re', 'f', 'EMC', 'Q', ''],
  ])
})
