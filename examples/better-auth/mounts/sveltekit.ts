import { sequence } from '@sveltejs/kit/hooks'
import { svelteKitHandler } from 'better-auth/svelte-kit'
import { building } from '$app/environment'
import { auth } from '../auth'

export const handle = sequence(({ event, resolve }) => svelteKitHandler({ event, resolve, auth, building }))
