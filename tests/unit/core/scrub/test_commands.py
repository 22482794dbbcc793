import pytest

from subsessiond.core.scrub.commands import find_commands
from subsessiond.core.scrub.spans import joined, replaced_in_pieces


def scrub(text: str) -> str:
    """Take the passwords out of a text."""
    return replaced_in_pieces((text,), joined(find_commands(text)))[0]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("+ curl -s -u me:pa55 https://x", "+ curl -s -u me:[removed] https://x"),
        ("curl --user me:a:b -o y", "curl --user me:[removed] -o y"),
        ("/usr/bin/curl -ume:pa55 x", "/usr/bin/curl -ume:[removed] x"),
        ("curl -u 'me:a b' x", "curl -u 'me:[removed]' x"),
        ("curl --proxy-user=me:pa55 x", "curl --proxy-user=me:[removed] x"),
        ("Command '['curl', '-u', 'me:pa55']'", "Command '['curl', '-u', 'me:[removed]']'"),
        ('exec ["mysqldump", "-ppa55", "db"]', 'exec ["mysqldump", "-p[removed]", "db"]'),
        ("mysql -uroot -ppa55 db", "mysql -uroot -p[removed] db"),
        ("mysql -p'a b' db", "mysql -p'[removed]' db"),
        ("sshpass -p pa55 ssh x", "sshpass -p [removed] ssh x"),
        ("docker login -u me -p pa55 host", "docker login -u me -p [removed] host"),
        ("redis-cli -h x -a pa55 get", "redis-cli -h x -a [removed] get"),
        ("smbclient -U me%pa55 //x", "smbclient -U me%[removed] //x"),
        ("http -a me:pa55 GET x", "http -a me:[removed] GET x"),
        ("machine x login me password pa55", "machine x login me password [removed]"),
        ("machine x\n login me\n password pa55\n", "machine x\n login me\n password [removed]\n"),
        ("login me\npassword pa55\n", "login me\npassword [removed]\n"),
    ],
)
def test_passwords_on_command_lines_go(text: str, left: str) -> None:
    """The user, the option and all else of the line stay."""
    assert scrub(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "docker run -p 8080:80 x",
        "mysql -u root -p db",
        "mkdir -p a/b",
        "curl -s x; sort -u a:b",
        "curl x | sort -u a:b",
        "ls -u a:b\ncurl x\nps -u a:b",
        "curl -u me https://x",
        "curl -u me: x",
        "the login page password reset",
        "login with a password first",
        "https is -u:nsafe",
        "curl: option -u: requires parameter",
    ],
)
def test_the_same_letters_of_another_program_stay(text: str) -> None:
    """An option means what its program says, and a sentence is no file of passwords."""
    assert scrub(text) == text
