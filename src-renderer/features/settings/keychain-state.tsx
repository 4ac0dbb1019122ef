import { attempt } from '../../app/attempt.ts'
import { request } from '../../app/bridge.ts'
import { useResource } from '../../app/resource.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Tag } from '../../ui/tag.tsx'
import { showToast } from '../../ui/toast.tsx'
import { secretsState, webhookTokens } from '../../app/secrets.ts'
import styles from './section.module.css'

/** Where such secrets are kept, and what to do where the system's keychain cannot be used. */
export function KeychainState({ what }: { what: 'Keys' | 'Tokens' }) {
  const state = useResource(secretsState)
  if (state.status === 'failed') {
    return (
      <p className={styles['error']} role="alert">
        The keychain’s state is not known: {state.error.message}{' '}
        <Button kind="link" onClick={() => void secretsState.reload()}>
          Try again
        </Button>
      </p>
    )
  }
  if (state.status !== 'ready') return null
  const { place, problem } = state.value
  if (place === 'keychain') {
    return (
      <p className={styles['line']}>
        <Tag tone="ok">keychain</Tag>
        {what} are kept in this system’s keychain.
      </p>
    )
  }
  return (
    <div className={classes(styles['box'], styles['warn'])}>
      <p className={styles['line']}>
        <Tag tone="warn">{place === 'session' ? 'this session only' : 'no keychain'}</Tag>
        {place === 'session'
          ? `${what} are kept in memory and are gone when Tondesk ends.`
          : `The system’s keychain cannot be used, and Tondesk never writes ${what.toLowerCase()} into a file.`}
      </p>
      {problem !== null && <p>{problem}</p>}
      <div className={styles['line']}>
        {place === 'none' && (
          <Button onClick={() => void keepForSession()}>Keep for this session only</Button>
        )}
        <Button icon="refresh" onClick={() => void retryKeychain()}>
          Try the keychain again
        </Button>
      </div>
    </div>
  )
}

async function keepForSession(): Promise<void> {
  const next = await attempt('Could not switch to this session only', () =>
    request('secrets.useSessionOnly'),
  )
  if (next !== undefined) secretsState.set(next)
}

async function retryKeychain(): Promise<void> {
  const next = await attempt('Could not try the keychain', () => request('secrets.retryKeychain'))
  if (next === undefined) return
  secretsState.set(next)
  void webhookTokens.reload()
  if (next.place !== 'keychain') {
    showToast({
      title: 'The keychain still cannot be used',
      ...(next.problem !== null && { detail: next.problem }),
    })
  }
}
