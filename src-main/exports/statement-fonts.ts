/** The fonts of a PDF: in the package while the TypeScript runs as it is, beside the bundle when built. */
const running = import.meta.url

function font(weight: string, name: string): URL {
  const file = `${name}.ttf`
  return running.endsWith('.ts')
    ? new URL(`../../node_modules/@expo-google-fonts/noto-sans/${weight}/${file}`, running)
    : new URL(`./fonts/${file}`, running)
}

export const statementFonts = {
  regular: font('400Regular', 'NotoSans_400Regular'),
  bold: font('600SemiBold', 'NotoSans_600SemiBold'),
} as const
