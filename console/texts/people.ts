/** Texts about users and groups. */
export const peopleTexts = {
  people: {
    help: 'Users and groups of the directory, and those who have logged in. Other users see only the members of their own projects.',
    show: 'Show',
    kinds: { user: 'Users', group: 'Groups' },
    text: 'Name or address begins with',
    name: 'Name',
    fullName: 'Full name',
    email: 'Mail',
    from: 'Known from',
    origins: { directory: 'Directory', logins: 'Login', projects: 'Project' },
    none: 'No name begins with this text.',
    cut: (limit: number) => `The first ${limit} names are shown. Type the beginning of a name to find others.`,
    finds: 'What do they find?',
    sessions: 'Sessions',
    directory: {
      not_configured:
        'The directory is not asked, because LDAP_BIND_DN or its password is not set. Only users who have logged in are listed.',
      unavailable: 'The directory does not answer. Only users who have logged in are listed.',
      for_administrators: 'Only administrators see the users and groups of the directory.',
    },
  },
} as const;
