const assets = '/api/v1/docs/assets';

/**
 * The Swagger UI page at the path `address`. `script` is the asset that starts it, because the content security policy allows no inline
 * scripts.
 */
export function renderSwaggerPage(
  title: string,
  address: string,
  { script, before = '' }: { script: string; before?: string },
): string {
  return renderPage(
    title,
    `<link rel="canonical" href="${address}">\n<link rel="stylesheet" href="${assets}/swagger-ui.css">\n`,
    `${before}<div id="swagger-ui"></div>
<script src="${assets}/swagger-ui-bundle.js"></script>
<script src="${assets}/${script}"></script>`,
  );
}

/** A login form above the reference. Its script authorizes the page with the token, as the Authorize button does. */
export const loginForm = `<style>
#login { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; max-width: 1460px; margin: 16px auto 0; padding: 0 20px;
  font: 14px sans-serif; color: #3b4151; }
#login input, #login button { font: inherit; padding: 6px 10px; border: 1px solid #8c8c8c; border-radius: 4px; }
#login button { background: #3b4151; color: #fff; border-color: #3b4151; cursor: pointer; }
</style>
<form id="login">
<label>User name <input name="username" autocomplete="username" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Log in</button>
<output id="login-state">Log in to try requests here. With a token or an API key, use Authorize.</output>
</form>
`;

function renderPage(title: string, styles: string, body: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${assets}/favicon-32x32.png">
${styles}</head>
<body>
${body}
</body>
</html>
`;
}
