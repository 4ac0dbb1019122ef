import type {
  SandboxNetwork,
  SandboxState,
  SandboxUrls,
} from '../../../src-preload/contract/sandbox.ts'
import { attempt } from '../../app/attempt.ts'
import { request } from '../../app/bridge.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { showToast } from '../../ui/toast.tsx'
import styles from './forms.module.css'

/** What one's own backend needs to use this sandbox in place of the service. */
export function ConnectTab({ state, network }: { state: SandboxState; network: SandboxNetwork }) {
  if (state.urls === null) return null
  const rows = rowsOf(state.urls, network)
  const snippet = rows.map(({ variable, url }) => `${variable}=${url}`).join('\n')
  return (
    <div className={styles['tab']}>
      <div className={`${styles['part'] ?? ''} ${styles['wide'] ?? ''}`}>
        <div className={styles['head']}>
          <h2 className={styles['title']}>Addresses</h2>
          <p className={styles['detail']}>
            A client written for the service works here with nothing but its base URL and its key
            changed. Reached from this computer only.
          </p>
        </div>
        <ul className={styles['list']}>
          {rows.map(({ name, url }) => (
            <li key={name}>
              <span>{name}</span>
              <span className={styles['grow']}>
                <code>{url}</code>
              </span>
              <CopyButton text={url} what={`${name} URL`} />
            </li>
          ))}
        </ul>
      </div>
      <Keys state={state} />
      <div className={`${styles['part'] ?? ''} ${styles['wide'] ?? ''}`}>
        <div className={styles['line']}>
          <h2 className={styles['title']}>As an environment</h2>
          <span className={styles['end']}>
            <CopyButton text={snippet} what="Environment" />
          </span>
        </div>
        <pre className={styles['snippet']}>
          <code>{snippet}</code>
        </pre>
      </div>
    </div>
  )
}

function rowsOf(urls: SandboxUrls, network: SandboxNetwork) {
  const isMain = network === 'mainnet'
  return [
    {
      name: 'Query API',
      variable: 'TON_QUERY_URL',
      url: isMain ? urls.query : urls.testnetQuery,
    },
    {
      name: 'Webhooks API',
      variable: 'TON_WEBHOOKS_URL',
      url: isMain ? urls.webhooks : urls.testnetWebhooks,
    },
    ...(isMain ? [{ name: 'Invoices API', variable: 'TON_CONSOLE_URL', url: urls.console }] : []),
    { name: 'Control API', variable: 'TON_SANDBOX_CONTROL_URL', url: urls.control },
  ]
}

const keys = [
  { key: 'api', label: 'Copy API key', name: 'API key' },
  { key: 'invoices', label: 'Copy invoices token', name: 'Invoices token' },
  { key: 'control', label: 'Copy control key', name: 'Control key' },
] as const

function Keys({ state: { canCopyKeys, keysFile } }: { state: SandboxState }) {
  return (
    <div className={`${styles['part'] ?? ''} ${styles['wide'] ?? ''}`}>
      <div className={styles['head']}>
        <h2 className={styles['title']}>Keys</h2>
        <p className={styles['detail']}>
          The sandbox’s keys open this sandbox and nothing else. They are in a file that only you
          can read, as apiKey, invoicesToken and controlKey.
        </p>
      </div>
      {canCopyKeys && (
        <div className={styles['line']}>
          {keys.map(({ key, label, name }) => (
            <Button key={key} icon="key" onClick={() => void copyKey(key, name)}>
              {label}
            </Button>
          ))}
        </div>
      )}
      <ul className={styles['list']}>
        <li>
          <span className={styles['grow']}>
            <code>{keysFile}</code>
          </span>
          <CopyButton text={keysFile} what="Path of the keys" label="Copy path" />
        </li>
      </ul>
    </div>
  )
}

/** By the main process: a key is nothing for a page to hold. */
async function copyKey(key: (typeof keys)[number]['key'], name: string): Promise<void> {
  const copied = await attempt('Could not copy the key', () => request('sandbox.copyKey', { key }))
  if (copied === undefined) return
  showToast({ id: 'key', title: `${name} copied`, detail: `It ends in ${copied.hint}.` })
}
