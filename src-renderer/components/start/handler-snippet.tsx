import { type ReactNode, useState } from 'react'
import { Choices } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Hint, Row, Stack } from '../../ui/layout.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import go from './snippets/receiver.go?raw'
import node from './snippets/receiver.mjs?raw'
import php from './snippets/receiver.php?raw'
import python from './snippets/receiver.py?raw'

/** Each file is a whole program, which a test starts (test/main/app/setup-snippets.test.ts). */
const snippets = {
  node: { label: 'Node.js', file: 'receiver.mjs', code: node },
  go: { label: 'Go', file: 'receiver.go', code: go },
  python: { label: 'Python', file: 'receiver.py', code: python },
  php: { label: 'PHP', file: 'receiver.php', code: php },
} as const

const languages = (['node', 'go', 'python', 'php'] as const).map((value) => ({
  value,
  label: snippets[value].label,
}))

/** A program that receives webhooks and verifies their token, ready to copy. */
export function HandlerSnippet({ children }: { children?: ReactNode }) {
  const [language, setLanguage] = useState<keyof typeof snippets>('node')
  const { file, code } = snippets[language]
  return (
    <Stack>
      <Row wrap>
        <Choices label="Language" value={language} options={languages} onChange={setLanguage} />
        <CopyButton text={code} what={file} label="Copy code" />
        {children}
      </Row>
      <Hint>
        The program verifies the header <code>Authorization: Bearer</code>, responds with 200 after
        your code has handled the transaction, and recognizes a repeated delivery by its hash. Set{' '}
        <code>WEBHOOK_TOKEN</code> to the token of the webhook.
      </Hint>
      <CodeBlock label={file} rows={12}>
        {code}
      </CodeBlock>
    </Stack>
  )
}
