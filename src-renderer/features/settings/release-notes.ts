/** Release notes in Markdown as plain text: lines that were broken in the file are joined, links are their words. */
export function formatReleaseNotes(markdown: string): string {
  return markdown
    .replaceAll('\r\n', '\n')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/(`|\*\*)(\S(?:.*?\S)?)\1/g, '$2')
    .replaceAll(/^#+ +\[?([^\]\n]*)\]?/gm, '$1')
    .replaceAll(/\n(?!\n|- |#)(?<!\n\n) */g, ' ')
    .replaceAll(/^- /gm, '• ')
    .replaceAll(/ +$/gm, '')
    .trim()
}
