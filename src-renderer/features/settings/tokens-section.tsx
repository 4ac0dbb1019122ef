import { useState } from 'react'
import type { WebhookToken } from '../../../src-preload/contract/secret.ts'
import { attempt } from '../../app/attempt.ts'
import { request } from '../../app/bridge.ts'
import { fromMs } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { useResource } from '../../app/resource.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { FailedState } from '../../ui/failed-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tag } from '../../ui/tag.tsx'
import table from '../../ui/table.module.css'
import text from '../../ui/text.module.css'
import { showToast } from '../../ui/toast.tsx'
import { secretsState, webhookTokens } from '../../app/secrets.ts'
import { AddToken } from './add-token.tsx'
import { KeychainState } from './keychain-state.tsx'
import { Section } from './section.tsx'
import styles from './section.module.css'

export function TokensSection() {
  const state = useResource(webhookTokens)
  const secrets = useResource(secretsState)
  const [adding, setAdding] = useState(false)
  const canAdd = secrets.status === 'ready' && secrets.value.place !== 'none'
  return (
    <Section
      id="tokens"
      detail="The gateway sends each webhook’s own bearer token with its deliveries. Add the tokens you know, and every delivery is checked against them. A token goes in and never comes out again: only its last four characters are shown."
    >
      <KeychainState what="Tokens" />
      {(state.status === 'idle' || state.status === 'loading') && <Skeleton rows={2} />}
      {state.status === 'failed' && (
        <FailedState
          what="The tokens could not be listed"
          why={state.error.message}
          onRetry={() => void webhookTokens.reload()}
        />
      )}
      {state.status === 'ready' && state.value.length > 0 && <Tokens tokens={state.value} />}
      {state.status === 'ready' && state.value.length === 0 && !adding && (
        <p className={styles['detail']}>
          You have added no token yet, so deliveries of the real service are not checked. Those of
          the sandbox’s webhooks are known without being added.
        </p>
      )}
      {adding && canAdd ? (
        <AddToken onDone={() => setAdding(false)} />
      ) : (
        <div className={styles['line']}>
          <Button
            icon="plus"
            aria-disabled={!canAdd}
            onClick={() => canAdd && setAdding(true)}
            title={canAdd ? undefined : 'There is no place to keep a token'}
          >
            Add a token
          </Button>
        </div>
      )}
    </Section>
  )
}

function Tokens({ tokens }: { tokens: readonly WebhookToken[] }) {
  return (
    <table className={table['table']}>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Token</th>
          <th scope="col">Added</th>
          <th scope="col">
            <span className={text['hidden']}>Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <tr key={token.id}>
            <td>{token.label}</td>
            <td>
              <span className={text['mono']}>…{token.hint}</span>{' '}
              {!token.present && (
                <Tag
                  tone="warn"
                  title="The keychain no longer has it, or it was kept for an earlier session only. Remove it and add it again."
                >
                  lost, add it again
                </Tag>
              )}
            </td>
            <td className={text['dim']}>
              <Moment at={fromMs(token.createdAt)} />
            </td>
            <td className={table['number']}>
              <Button
                kind="quiet"
                icon="trash"
                aria-label={`Remove ${token.label}…`}
                onClick={() => void removeToken(token)}
              >
                Remove…
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

async function removeToken(token: WebhookToken): Promise<void> {
  const yes = await confirm({
    title: `Remove the token “${token.label}”?`,
    detail: `The token that ends in ${token.hint} is deleted from this computer. Deliveries that carry it are then marked as wrong, or are not checked when no other token is known. At the gateway nothing changes.`,
    action: 'Remove',
    destructive: true,
  })
  if (!yes) return
  const done = await attempt('Could not remove the token', () =>
    request('webhookToken.remove', { id: token.id }),
  )
  if (done === undefined) return
  await webhookTokens.reload()
  showToast({ title: `Token “${token.label}” removed` })
}
