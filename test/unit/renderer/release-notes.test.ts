import { expect, test } from 'vitest'
import { formatReleaseNotes } from '../../../src-renderer/features/settings/about-section.tsx'

test('release notes are shown without Markdown syntax and without line ends inside a sentence', () => {
  const markdown = `# Changelog

## [1.2.0] - 2026-11-23

### Added

- \`tondesk://\` links, see
  [links and files](docs/links.md).
- **Bold** words, 2 * 3 and snake_case stay readable.

A paragraph that
goes on.
`
  expect(formatReleaseNotes(markdown)).toBe(`Changelog

1.2.0 - 2026-11-23

Added

• tondesk:// links, see links and files.
• Bold words, 2 * 3 and snake_case stay readable.

A paragraph that goes on.`)
})

test('release notes with Windows line ends are shown like others', () => {
  expect(formatReleaseNotes('- a\r\n  b\r\n- c')).toBe('• a b\n• c')
})
