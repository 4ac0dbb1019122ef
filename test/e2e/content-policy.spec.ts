import { expect, test } from './fixture.ts'

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; " +
  "trusted-types 'none'"

test('the page has the strict content policy, and the browser enforces it', async ({ tondesk }) => {
  const { page } = tondesk
  tondesk.expectProblem(/Content Security Policy|Trusted|violates/)
  const headers = await page.evaluate(async () => {
    const response = await fetch('/')
    return Object.fromEntries(response.headers)
  })
  expect(headers['content-security-policy']).toBe(policy)
  expect(headers['x-content-type-options']).toBe('nosniff')

  const tried = await page.evaluate(async () => {
    const violated: string[] = []
    Object.assign(window, { violated })
    document.addEventListener('securitypolicyviolation', (event) =>
      violated.push(event.effectiveDirective),
    )
    const script = document.createElement('script')
    const attempts: Record<string, () => unknown> = {
      html: () => (document.body.innerHTML = '<b>x</b>'),
      inline: () => {
        script.text = 'window.inlineRan = true'
        document.body.append(script)
      },
      image: () => document.body.append(Object.assign(new Image(), { src: 'https://evil.test/' })),
      frame: () => {
        const frame = document.createElement('iframe')
        frame.src = 'https://evil.test/'
        document.body.append(frame)
      },
    }
    const refused: string[] = []
    for (const [name, attempt] of Object.entries(attempts)) {
      try {
        attempt()
      } catch {
        refused.push(name)
      }
    }
    const fetched = await fetch('https://evil.test/').then(
      () => 'fetched',
      () => 'refused',
    )
    return { refused, fetched, ran: 'inlineRan' in window }
  })
  expect(tried.fetched).toBe('refused')
  expect(tried.ran).toBe(false)
  expect(tried.refused).toContain('html')
  // The browser reports violations a moment later.
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { violated: string[] }).violated))
    .toEqual(
      expect.arrayContaining(['require-trusted-types-for', 'img-src', 'frame-src', 'connect-src']),
    )
})
