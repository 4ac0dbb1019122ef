import type {
  SandboxNetwork,
  SandboxState,
  SandboxUrls,
} from '../../../src-preload/contract/sandbox.ts'
import { attempt, request } from '../../app/bridge.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton, showToast } from '../../ui/toast.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Row, Section, Stack, Text } from '../../ui/layout.tsx'
import { Table } from '../../ui/table.tsx'

/** The values that a backend needs to use this sandbox in place of the service. */
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
          {canCopyKeys && (
            <Row wrap>
              {keys.map(({ key, label, name }) => (
                <Button key={key} icon="key" onClick={() => void copyKey(key, name)}>
                  {label}
                </Button>
              ))}
            </Row>
          )}
          <Row>
            <Text mono over="break">
              {keysFile}
            </Text>
            <CopyButton text={keysFile} what="Path of the key file" label="Copy path" />
          </Row>
        </Stack>
      </Section>
      <Section
        title="Environment variables"
        end={<CopyButton text={variables} what="Environment variables" />}
      >
        <CodeBlock label="Environment variables">{variables}</CodeBlock>
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

const keys = [
  { key: 'api', label: 'Copy API key', name: 'API key' },
  { key: 'invoices', label: 'Copy invoices API token', name: 'Invoices API token' },
  { key: 'control', label: 'Copy key of the Control API', name: 'Control API key' },
] as const

/** The main process writes to the clipboard: the page never holds a key. */
async function copyKey(key: (typeof keys)[number]['key'], name: string): Promise<void> {
  const copied = await attempt('Could not copy the key', () => request('sandbox.copyKey', { key }))
  if (copied === undefined) return
  showToast({
    id: 'key',
    title: `${name} copied`,
    detail: `The copied key ends in ${copied.hint}.`,
  })
}
