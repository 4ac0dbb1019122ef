import { useState } from 'react'
import { request } from '../../app/bridge.ts'
import { printRoute } from '../../app/route.ts'
import { webhooksHome } from '../../app/webhooks-route.ts'
import { Choices } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Hint, Row, Section, Stack, Text } from '../../ui/layout.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import type { StepProps } from './use-setup.ts'
import go from './snippets/receiver.go?raw'
import node from './snippets/receiver.mjs?raw'
import php from './snippets/receiver.php?raw'
import python from './snippets/receiver.py?raw'

/** Each file is a whole program, which a test starts (test/main/setup-snippets.test.ts). */
const snippets = {
  node: { label: 'Node.js', file: 'receiver.mjs', code: node },
  go: { label: 'Go', file: 'receiver.go', code: go },
  python: { label: 'Python', file: 'receiver.py', code: python },
  php: { label: 'PHP', file: 'receiver.php', code: php },
} as const

type Language = keyof typeof snippets

const languages = (['node', 'go', 'python', 'php'] as const).map((value) => ({
  value,
  label: snippets[value].label,
}))

export function CodeStep({ setup: { webhook } }: StepProps) {
  const [language, setLanguage] = useState<Language>('node')
  const { file, code } = snippets[language]
  const loadToken = async () => {
    const { network = '', id = '' } = webhook ?? {}
    return (await request('webhook.revealToken', { network, id })).token
  }
  return (
    <>
      <Section title="Receiver">
        <Stack>
          <Row wrap>
            <Choices label="Language" value={language} options={languages} onChange={setLanguage} />
            <CopyButton text={code} what={file} label="Copy code" />
            {webhook !== null && webhook.tokenHint !== null && (
              <CopyButton text={loadToken} what="Token" label="Copy token" />
            )}
          </Row>
          <Hint>
            The program verifies the header <code>Authorization: Bearer</code>, responds with 200
            after your code has handled the transaction, and recognizes a repeated delivery by its
            hash. Set <code>WEBHOOK_TOKEN</code> to the token of the webhook.
          </Hint>
          <CodeBlock label={file} rows={22}>
            {code}
          </CodeBlock>
        </Stack>
      </Section>
      <Section title="Send events to your backend">
        <Stack as="ul" gap="xs">
          <Text as="li" size="s">
            While you develop, Tondesk can send each event that arrives here on to your backend,
            with its token.{' '}
            <a href={printRoute({ page: 'workbench', view: 'forwarding', rule: null })}>
              Add a forwarding rule
            </a>
          </Text>
          <Text as="li" size="s">
            In production, create a second webhook with the public URL of your backend. Its token
            differs from the token of this receiver.{' '}
            <a href={printRoute(webhooksHome)}>Open the webhooks</a>
          </Text>
        </Stack>
      </Section>
    </>
  )
}
