import type {
  SandboxNetwork,
  SandboxState,
  SandboxUrls,
} from '../../../src-preload/contract/sandbox.ts'
import { attempt, request } from '../../app/bridge.ts'
import { HandlerSnippet } from '../../components/start/handler-snippet.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton, announce } from '../../ui/toast.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Hint, Row, Section, Stack, Text } from '../../ui/layout.tsx'
import { Table } from '../../ui/table.tsx'

/** Shows the values that a backend needs to use this sandbox in place of the service. */
export function ConnectTab({
  state: { urls, canCopyKeys, keysFile },
  network,
}: {
  state: SandboxState
  network: SandboxNetwork
}) {
  if (urls === null) return null
  const apis = apisOf(urls, network)
  const variables = apis.map(({ variable, url }) => `${variable}=${url}`).join('\n')
  return (
    <>
      <Section
        title="URLs"
        detail="In your backend, set the base URLs below and the sandbox’s API key. The sandbox is reachable from this computer only."
      >
        <Table
          label="URLs"
          scroll
          rows={apis}
          keyOf={({ name }) => name}
          columns={[
            { name: 'API', cell: ({ name }) => name },
            { name: 'URL', grow: 1, width: 160, look: 'mono', cell: ({ url }) => url },
            {
              name: 'Actions',
              hideName: true,
              cell: ({ name, url }) => <CopyButton text={url} what={`${name} URL`} kind="quiet" />,
            },
          ]}
        />
      </Section>
      <Section
        title="Keys"
        detail="The file below contains the keys of the sandbox as apiKey, invoicesToken and controlKey. Only you can read the file, and the keys work with this sandbox only."
      >
        <Stack>
          <Row>
            <Text mono over="break">
              {keysFile}
            </Text>
            <CopyButton text={keysFile} what="Path of the key file" label="Copy path" />
          </Row>
        </Stack>
      </Section>
      <Section title="Environment variables">
        <Stack>
          <Hint>
            The copied <code>.env</code> also contains the API key, the invoices token, the key of
            the Control API and the token of the newest webhook.
          </Hint>
          <Row>
            <Button
              kind="main"
              icon="copy"
              onClick={() => void copyEnvironment(network, canCopyKeys)}
            >
              Copy .env with keys
            </Button>
          </Row>
          <CodeBlock label="Environment variables">{variables}</CodeBlock>
        </Stack>
      </Section>
      <Section title="Handler">
        <HandlerSnippet />
      </Section>
    </>
  )
}

function apisOf(urls: SandboxUrls, network: SandboxNetwork) {
  const isMainnet = network === 'mainnet'
  const all = [
    {
      name: 'Query API',
      variable: 'TON_QUERY_URL',
      url: isMainnet ? urls.query : urls.testnetQuery,
    },
    {
      name: 'Webhooks API',
      variable: 'TON_WEBHOOKS_URL',
      url: isMainnet ? urls.webhooks : urls.testnetWebhooks,
    },
    { name: 'Invoices API', variable: 'TON_CONSOLE_URL', url: urls.console },
    { name: 'Control API', variable: 'TON_SANDBOX_CONTROL_URL', url: urls.control },
  ]
  return isMainnet ? all : all.filter(({ name }) => name !== 'Invoices API')
}

/** The desktop app writes to the clipboard. In browser mode the page does, after a confirmation. */
async function copyEnvironment(network: SandboxNetwork, canCopyKeys: boolean): Promise<void> {
  const isConfirmed =
    canCopyKeys ||
    (await confirm({
      title: 'Copy the keys of the sandbox?',
      detail:
        'The clipboard will contain the keys, so other programs can read them. They work with this sandbox only, on this computer.',
      action: 'Copy .env with keys',
    }))
  if (!isConfirmed) return
  const copied = await attempt('Could not copy the environment variables', async () => {
    const { text } = await request('sandbox.copyEnvironment', { network, isConfirmed })
    if (text !== null) await navigator.clipboard.writeText(text)
    return true
  })
  if (copied) announce('.env copied')
}
